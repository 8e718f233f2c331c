import { readFileSync } from "node:fs";
import { X509Certificate } from "node:crypto";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { setS3Fetch } from "#storage/blobs/s3-fetch.ts";
import { ConfigError, type Config } from "../settings/settings.ts";
import { createOutgoingFetch } from "./outgoing-fetch.ts";
import { createOutgoingProxy, processProxy, setProcessProxy } from "./outgoing-proxy.ts";

/*
 * What holds for every connection that this process opens: Node keeps its list of authorities per process, and so the proxy
 * is kept here too. Model providers get their proxy from the settings of their server.
 */

/** Applies the settings of the process. Called once when it starts. Throws `ConfigError`. */
export function setUpNetwork({ extraCaFile, outgoingProxy }: Pick<Config, "extraCaFile" | "outgoingProxy">) {
  if (extraCaFile !== undefined)
    setDefaultCACertificates([
      ...getCACertificates("default"),
      ...readCertificates(extraCaFile).map((certificate) => certificate.toString()),
    ]);
  setProcessProxy(createOutgoingProxy(outgoingProxy));
  setS3Fetch(async (input, init) => await fetchOutside(input, init));
}

/** The certificates of `EXTRA_CA_FILE`. Throws `ConfigError`. */
export function readCertificates(file: string): X509Certificate[] {
  const wrong = (what: string, cause?: unknown) =>
    new ConfigError(
      `EXTRA_CA_FILE ${what}. Set it to a file with the certificates of your authorities in the PEM format, which begin with -----BEGIN CERTIFICATE-----.`,
      { cause },
    );
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw wrong(`cannot be read: ${(error as Error).message}`, error);
  }
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (found === null) throw wrong(`has no certificate: ${file}`);
  try {
    return found.map((certificate) => new X509Certificate(certificate));
  } catch (error) {
    throw wrong(`has a certificate that cannot be read: ${file}`, error);
  }
}

/**
 * Like `fetch`, through the proxy if there is one for this URL. `publicOnly`: only to an address on the public internet, or
 * else it rejects with `ForbiddenAddressError`; then redirects are not followed.
 */
export async function fetchOutside(
  input: Parameters<typeof fetch>[0],
  init?: RequestInit,
  { publicOnly = false }: { publicOnly?: boolean } = {},
): Promise<Response> {
  return await createOutgoingFetch({ isPublicOnly: publicOnly, proxy: processProxy() })(input, init);
}
