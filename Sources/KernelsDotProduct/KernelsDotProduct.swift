// The place for variants that need ARM's dot product instructions (Cortex-A76 and later): a module
// of its own, since it is compiled with that processor feature. There are none yet.
