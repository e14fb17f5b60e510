"""What is fitted to noisy answers: post-processing, functions of noisy answers and public parameters alone."""
