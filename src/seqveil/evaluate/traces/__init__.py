"""How close synthetic trips are to raw ones, by the measures that papers about trajectories report. INTERNAL: reads raw data."""
