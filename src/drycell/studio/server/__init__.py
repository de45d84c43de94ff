"""The studio's server process: serves the page, holds one stage for all browsers, and decides who may steer it.

Imports nothing of the simulation: what is looked at lives in the stage process, and is asked for.
"""
