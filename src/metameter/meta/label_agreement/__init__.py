"""Agreement of metrics with the labels of users, shared by satisfaction and preference."""
