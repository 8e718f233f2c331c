/** Calls `render` before the next frame; in a hidden page, which has no frames, after 250 ms. */
export function onNextFrame(render: () => void): void {
  if (document.visibilityState === "hidden") setTimeout(render, 250);
  else requestAnimationFrame(render);
}
