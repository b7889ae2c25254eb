"""What satisfaction and preference share: agreement of metrics with labels of users."""
