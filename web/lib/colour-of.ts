/** A colour of the page as a canvas needs it: computed, without `light-dark`. */
export function colourOf(box: HTMLElement, name: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  box.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
