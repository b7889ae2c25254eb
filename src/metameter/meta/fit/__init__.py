"""Which parameters of a metric, and which browsing model, describe the users that labels and clicks come from."""
