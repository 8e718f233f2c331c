/** Calls `render` before the next frame with its time; in a hidden page, which has no frames, after 250 ms. */
export function onNextFrame(render: (nowMs: number) => void): void {
  if (document.visibilityState === "hidden") setTimeout(() => render(performance.now()), 250);
  else requestAnimationFrame(render);
}
