import type uPlot from "uplot";

/** A colour of the page as a canvas needs it: computed, without `light-dark`. */
export function colourOf(box: HTMLElement, name: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  box.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** The look of an axis. */
export function axisOf(box: HTMLElement): uPlot.Axis {
  return {
    stroke: colourOf(box, "--ink-faint"),
    font: `12px ${getComputedStyle(box).fontFamily}`,
    ticks: { show: false },
    grid: { stroke: colourOf(box, "--hairline"), width: 1 },
  };
}

/** Keeps the plot as wide as its box. Returns a function that removes the plot. */
export function followWidth(plot: uPlot, box: HTMLElement, heightPx: number): () => void {
  const observer = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height: heightPx }));
  observer.observe(box);
  return () => {
    observer.disconnect();
    plot.destroy();
  };
}
