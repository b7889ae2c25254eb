"""Meta-evaluation: one folder per procedure; the files beside the folders are what several procedures share."""
