"""Line drawings as SVG, made of a few shapes."""
