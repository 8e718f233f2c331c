/** Runs `draw` before the next frame; in a page that is not seen, where frames stand still, a few times a second. */
export function onNextFrame(draw: () => void): void {
  if (document.visibilityState === "hidden") setTimeout(draw, 250);
  else requestAnimationFrame(draw);
}
