type ListedBlob = { key: string; sizeBytes: number; changedAtMs: number };

/** Parses a page of S3's list of keys. The server's own keys contain no XML beyond simple entities. */
export function parseKeyPage(xml: string): { found: ListedBlob[]; next: string | undefined } {
  const found = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, entry = ""]) => ({
    key: textOf(entry, "Key"),
    sizeBytes: Number(textOf(entry, "Size")),
    changedAtMs: Date.parse(textOf(entry, "LastModified")),
  }));
  const next = textOf(xml, "NextContinuationToken");
  return { found, next: textOf(xml, "IsTruncated") === "true" && next !== "" ? next : undefined };
}

function textOf(xml: string, tag: string): string {
  const text = new RegExp(`<${tag}>(.*?)</${tag}>`, "s").exec(xml)?.[1] ?? "";
  return text.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name]!);
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
