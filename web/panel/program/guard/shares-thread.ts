const busyMs = 50;
/** A frame that was removed, or did not load, never answers. */
const answerMaxMs = 1_000;

/**
 * Whether a busy frame blocks the page too: the frame is kept busy for 50 ms, and the page checks whether its timer ran
 * meanwhile. If the page is busy itself, the answer is yes.
 */
export async function sharesThread(frame: Window): Promise<boolean> {
  const turns: number[] = [];
  const timer = setInterval(() => turns.push(Date.now()));
  const { port1, port2 } = new MessageChannel();
  const busy = await new Promise<{ from: number; to: number } | undefined>((resolve) => {
    port1.addEventListener("message", ({ data }) => resolve(data as { from: number; to: number }));
    port1.start();
    frame.postMessage({ busyMs }, "*", [port2]);
    setTimeout(() => resolve(undefined), answerMaxMs);
  });
  clearInterval(timer);
  return busy === undefined || !turns.some((time) => busy.from < time && time < busy.to);
}
