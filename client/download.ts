import { createDownload, type streamText } from "ai";

type Download = NonNullable<Parameters<typeof streamText>[0]["experimental_download"]>;

/**
 * For `experimental_download` of the AI SDK: sends the files of a Parlance server to the model as bytes, whatever network
 * the server is in. `baseUrl` is its address in the browser. Other URLs are treated as the AI SDK treats them by default,
 * which refuses addresses of private networks: the URLs come from the browser.
 */
export function download({ baseUrl }: { baseUrl: string }): Download {
  const files = new URL(`${baseUrl.replace(/\/$/, "")}/v1/content/`).href;
  const byDefault = createDownload();
  return async (requests) =>
    await Promise.all(
      requests.map(async (request) => {
        if (request.url.href.startsWith(files)) return await read(request.url, request.abortSignal);
        return request.isUrlSupportedByModel ? null : await byDefault(request);
      }),
    );
}

async function read(url: URL, signal: AbortSignal | undefined) {
  const response = await fetch(url, { signal: signal ?? null });
  if (!response.ok) throw new Error(`The file ${url.pathname} could not be read: status ${response.status}.`);
  const mediaType = response.headers.get("Content-Type")?.split(";")[0];
  return { data: new Uint8Array(await response.arrayBuffer()), mediaType };
}
