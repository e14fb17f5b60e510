from seqveil.fenced import routes as routes
from seqveil.fenced import suppression as suppression
