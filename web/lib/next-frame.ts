const frameMs = 1_000 / 60;

/** Whether the last frame of `onNextFrame` took long, and until when the frames after it are left out. */
let isSlow = false;
let restUntilMs = 0;

/**
 * Calls `render` before the next frame with its time, and the time until the next call. If its last frame took more than
 * half of the time of a frame, from `render` until it was painted, as on a slow device, the frame after it is left out, so
 * that input and scrolling have one of their own. A hidden page, which has no frames, waits 250 ms.
 */
export function onNextFrame(render: (nowMs: number, frameMs: number) => void): void {
  if (document.visibilityState === "hidden")
    return void setTimeout(() => render(performance.now(), 250), 250);
  const draw = (nowMs: number): void => {
    if (nowMs < restUntilMs) return void requestAnimationFrame(draw);
    const startMs = performance.now();
    render(nowMs, isSlow ? 2 * frameMs : frameMs);
    afterPaint(() => {
      isSlow = performance.now() - startMs > frameMs / 2;
      restUntilMs = isSlow ? nowMs + 1.5 * frameMs : 0;
    });
  };
  requestAnimationFrame(draw);
}

/** Called in a frame, runs `work` when that frame is painted. */
function afterPaint(work: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener("message", work, { once: true });
  port1.start();
  port2.postMessage(undefined);
}
