const busyMs = 50;

/**
 * Whether a loop in a frame stops the page too: the frame is busy for a moment, and the page looks whether it has a turn
 * meanwhile. A page that is busy itself is taken for one that has none.
 */
export async function sharesThread(frame: Window): Promise<boolean> {
  const turns: number[] = [];
  const timer = setInterval(() => turns.push(Date.now()));
  const { port1, port2 } = new MessageChannel();
  const { from, to } = await new Promise<{ from: number; to: number }>((resolve) => {
    port1.addEventListener("message", ({ data }) => resolve(data as { from: number; to: number }));
    port1.start();
    frame.postMessage({ busyMs }, "*", [port2]);
  });
  clearInterval(timer);
  return !turns.some((time) => from < time && time < to);
}
