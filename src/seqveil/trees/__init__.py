"""The noisy level tree that publish and mine share: growth, consistency and table form.

Everything here is a function of noisy answers and public parameters. The only line that asks the wall is `PrivateTree.expand` in
`growth.py`. DER's quadtree is not among them: its nodes are regions that are divided, not labels that follow each other.
"""
