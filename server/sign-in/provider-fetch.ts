import { fetchOutside } from "#server/fetch/process-network.ts";

/** Keys, documents and tokens have some kilobytes. */
const bytesMax = 512 * 1024;

/**
 * A request to a sign-in provider, whose address an administrator gave. Redirects are not followed. `publicOnly`: fails
 * before anything is sent if the address of the connection is not on the public internet.
 */
export async function fetchFromProvider(
  url: string,
  init: RequestInit,
  { publicOnly = false }: { publicOnly?: boolean } = {},
): Promise<Response> {
  const response = await fetchOutside(url, { ...init, redirect: "manual" }, { publicOnly });
  const { status, headers } = response;
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.byteLength;
    // Leaving the loop cancels the request.
    if (sizeBytes > bytesMax) throw new Error(`The response has more than ${bytesMax} bytes.`);
    chunks.push(chunk);
  }
  return new Response(chunks.length === 0 ? null : Buffer.concat(chunks), { status, headers });
}
