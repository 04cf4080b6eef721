"""What hosts are told of servers: configurations, bundles, reports."""
