/** The text of one of the app's own files, such as a script for a frame that has no network. Throws if it does not load. */
export async function readOwnFile(url: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return await response.text();
}
