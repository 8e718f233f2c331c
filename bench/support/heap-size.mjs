// Loaded into the measured server. At each SIGUSR2 it collects the garbage and prints what is left of the heap.
let count = 0;
process.on("SIGUSR2", () => {
  // Finalizers of the first collection leave garbage for the next ones.
  for (let n = 0; n < 3; n++) globalThis.gc?.();
  console.log(`heap ${++count}: ${process.memoryUsage().heapUsed / 1_048_576} MiB`);
});
