/**
 * Stands in rendered HTML for the path of the page, with which the addresses of its files begin. HTML cannot have this
 * character otherwise.
 */
export const placeholder = "\u0001";

export function withPath(html: string, path: string): string {
  return html.replaceAll(placeholder, path);
}
