const frameMs = 1_000 / 60;

/** How long the last frame of `onNextFrame` took, from `render` until it was painted. */
let lastMs = 0;

/**
 * Calls `render` before the next frame with its time, and the time until the next call. If the last frame took more than
 * half of that, as on a slow device, it leaves out every second frame, so that input and scrolling have time between two of
 * them. A hidden page, which has no frames, waits 250 ms.
 */
export function onNextFrame(render: (nowMs: number, frameMs: number) => void): void {
  if (document.visibilityState === "hidden")
    return void setTimeout(() => render(performance.now(), 250), 250);
  const isSlow = lastMs > frameMs / 2;
  const draw = (nowMs: number) => {
    const startMs = performance.now();
    render(nowMs, isSlow ? 2 * frameMs : frameMs);
    afterPaint(() => (lastMs = performance.now() - startMs));
  };
  requestAnimationFrame(isSlow ? () => requestAnimationFrame(draw) : draw);
}

/** Called in a frame, runs `work` when that frame is painted. */
function afterPaint(work: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener("message", work, { once: true });
  port1.start();
  port2.postMessage(undefined);
}
