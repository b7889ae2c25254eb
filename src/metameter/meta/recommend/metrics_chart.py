def metrics_chart(table):
    return None
