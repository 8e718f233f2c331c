// Loaded into a program before its own code: stops it when the process that started it has ended, even if that was killed.

// Child processes of the program inherit its options and load this file too, but have another parent.
if (process.channel && process.env.PARLANCE_RUNNER_PID === String(process.ppid)) {
  process.once("disconnect", () => {
    if (!process.emit("SIGTERM", "SIGTERM")) process.exit(143);
  });
  // The channel does not keep the program alive.
  process.channel.unref();
}
