//! The methods: each step reads like the box in its paper.
