import { createDownload, type streamText } from "ai";

type Download = NonNullable<Parameters<typeof streamText>[0]["experimental_download"]>;

export type DownloadOptions = {
  /** The server's address in the browser. */
  baseUrl: string;
  /** What file URLs begin with, if not with `baseUrl`: the server's `FILES_ORIGIN` or `PUBLIC_URL`. */
  filesUrl?: string;
  /** The server's address for this process, if it does not reach those of the browser, as in a container. */
  internalUrl?: string;
  /** An API key of the server. With `FILES_PRIVATE` it renews URLs of pages that are open for more than 15 minutes. */
  apiKey?: string;
};

/**
 * For `experimental_download` of the AI SDK: sends the files of a Parlance server to the model as bytes, whatever network
 * the server is in. Other URLs are treated as the AI SDK treats them by default, which refuses addresses of private networks:
 * the URLs come from the browser.
 */
export function download({ baseUrl, filesUrl = baseUrl, internalUrl, apiKey }: DownloadOptions): Download {
  const bases = [baseUrl, filesUrl].map((url) => baseOf(url));
  const internal = internalUrl === undefined ? undefined : baseOf(internalUrl);
  const byDefault = createDownload();

  async function read({ href }: URL, base: string, signal: AbortSignal | undefined) {
    const from = internal ?? base;
    const response = await fetch(from + href.slice(base.length), { signal: signal ?? null });
    if (response.status !== linkExpired || apiKey === undefined) return await fileOf(response);
    await response.body?.cancel();
    const path = await renewedPath(internal ?? baseOf(baseUrl), apiKey, href, signal);
    return await fileOf(await fetch(from + path, { signal: signal ?? null }));
  }

  return async (requests) =>
    await Promise.all(
      requests.map(async (request) => {
        const base = bases.find((each) => request.url.href.startsWith(each + filesPath));
        if (base !== undefined) return await read(request.url, base, request.abortSignal);
        if (request.isUrlSupportedByModel) return null;
        return await byDefault(request).catch((cause: unknown) => {
          throw explained(request.url, bases, cause);
        });
      }),
    );
}

const filesPath = "/v1/content/";
const linkExpired = 403;

/** The URL without a slash at its end, as the URLs of files begin. */
function baseOf(url: string): string {
  return new URL(url).href.replace(/\/$/, "");
}

/** The path and the query of a new URL for the file of an expired one. */
async function renewedPath(
  base: string,
  apiKey: string,
  url: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const response = await fetch(`${base}/v1/files/attachments/generate-presigned-download-url`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Authorization: `Bearer ${apiKey}`,
      "Aui-Workspace-Id": "__SYSTEM__",
    },
    body: JSON.stringify({ url }),
    signal: signal ?? null,
  });
  if (!response.ok) throw new Error(`A file's URL could not be renewed: status ${response.status}.`);
  const { signedUrl } = (await response.json()) as { signedUrl: string };
  return signedUrl.slice(signedUrl.indexOf(filesPath));
}

/** Names the remedy if the file's URL looks like one of a Parlance server at another address than the given ones. */
function explained({ origin, pathname }: URL, bases: string[], cause: unknown): unknown {
  if (!pathname.includes(`${filesPath}file_`)) return cause;
  return new Error(
    `The file's URL begins with ${origin}, but download() reads files of ${[...new Set(bases)].join(" and ")} only. If both are your Parlance server, use one address in the browser and here, or pass ${origin} as filesUrl.`,
    { cause },
  );
}

async function fileOf(response: Response) {
  if (!response.ok) {
    const { pathname } = new URL(response.url);
    throw new Error(`The file ${pathname} could not be read: status ${response.status}.`);
  }
  const mediaType = response.headers.get("Content-Type")?.split(";")[0];
  return { data: new Uint8Array(await response.arrayBuffer()), mediaType };
}
