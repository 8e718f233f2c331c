/** The text of one of the app's own scripts, for a frame that has no network. Throws if it does not load. */
export async function readOwnScript(url: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return await response.text();
}
