import type { Part } from "#contract/parts/kinds.ts";
import { parseJson } from "#contract/json.ts";
import { listOf, objectOf, textOf } from "../other-services/fields.ts";

type Fields = Record<string, unknown>;

/** A source as the text names it: the Markdown of a link, or the name of a file. */
type Source = { url: string; title: string } | { fileName: string };

/**
 * ChatGPT's marks in a text: private-use characters (`\uE200cite\uE202turn0search1\uE201`) and, in older answers,
 * brackets (`【11†source】`).
 */
const marks = /\uE200([^\uE200\uE201]*)\uE201|【(\d+)(?::\d+)?†[^【】]{0,200}】/gu;

/** Replaces the marks by what ChatGPT displays, or else by a link to the source. A mark without a source is removed. */
export function withoutMarks(text: string, metadata: Fields): string {
  if (!/[\uE200【]/u.test(text)) return text;
  const shown = new Map<string, string>();
  for (const reference of listOf(metadata.content_references).map(objectOf)) {
    const [mark] = textOf(reference.matched_text).match(marks) ?? [];
    if (mark !== undefined)
      shown.set(mark, textOf(reference.alt) || linkTo(sourcesOfReference(reference)[0]));
  }
  const citations = listOf(metadata.citations).map(objectOf);
  const byPlace = new Map<number, Source>();
  const byNumber = new Map<string, Source>();
  for (const citation of citations) {
    const source = sourceOfCitation(citation);
    if (source === undefined) continue;
    byPlace.set(Number(citation.start_ix), source);
    const number = String(objectOf(objectOf(citation.metadata).extra).cited_message_idx);
    if (!byNumber.has(number)) byNumber.set(number, source);
  }
  // The places count characters. Some of them are two in JavaScript.
  let place = 0;
  let counted = 0;
  return text.replaceAll(
    marks,
    (mark: string, inner: string | undefined, number: string | undefined, at: number) => {
      for (const _ of text.slice(counted, at)) place++;
      counted = at;
      const known = shown.get(mark);
      if (known !== undefined) return known;
      const cited = byPlace.get(place) ?? (number === undefined ? undefined : byNumber.get(number));
      if (cited === undefined) return labelIn(inner ?? "");
      return /\s$/.test(text.slice(Math.max(0, at - 1), at)) ? linkTo(cited) : ` ${linkTo(cited)}`;
    },
  );
}

/** Source parts of a node, each URL and file once. */
export function sourcesOf(metadata: Fields, id: string): Part[] {
  const found = new Map<string, Source>();
  const references = listOf(metadata.content_references).map(objectOf).flatMap(sourcesOfReference);
  const citations = listOf(metadata.citations).map((each) => sourceOfCitation(objectOf(each)));
  for (const source of [...references, ...citations]) {
    if (source === undefined) continue;
    const key = "url" in source ? source.url : `file ${source.fileName}`;
    const before = found.get(key);
    if (before === undefined || ("title" in before && before.title === "")) found.set(key, source);
  }
  return [...found.values()].map((source, index): Part => {
    const sourceId = `${id}-${index + 1}`;
    if ("url" in source) {
      const { url, title } = source;
      return { type: "source", sourceType: "url", id: sourceId, url, ...(title === "" ? {} : { title }) };
    }
    const { fileName } = source;
    const mediaType = /\.pdf$/i.test(fileName) ? "application/pdf" : "text/plain";
    return {
      type: "source",
      sourceType: "document",
      id: sourceId,
      title: fileName,
      mediaType,
      filename: fileName,
    };
  });
}

function sourcesOfReference(reference: Fields): Source[] {
  const items = ["items", "sources", "fallback_items"].flatMap((key) => listOf(reference[key]).map(objectOf));
  const supporting = items.flatMap((item) => listOf(item.supporting_websites).map(objectOf));
  const sources = [reference, ...items, ...supporting].flatMap(({ url, title }) => webSource(url, title));
  const name = textOf(reference.name);
  return sources.length === 0 && reference.type === "file" && name !== "" ? [{ fileName: name }] : sources;
}

function sourceOfCitation(citation: Fields): Source | undefined {
  const { url, title, type, name } = objectOf(citation.metadata);
  const fileName = textOf(name) || textOf(title);
  return webSource(url, title)[0] ?? (type === "file" && fileName !== "" ? { fileName } : undefined);
}

function webSource(url: unknown, title: unknown): Source[] {
  return typeof url === "string" && /^https?:/i.test(url) && URL.canParse(url)
    ? [{ url, title: textOf(title) }]
    : [];
}

function linkTo(source: Source | undefined): string {
  if (source === undefined) return "";
  if ("fileName" in source) return `(${source.fileName})`;
  const label = (source.title || new URL(source.url).hostname).replaceAll(/[[\]\s]+/g, " ").trim();
  return `([${label}](${new URL(source.url).href.replaceAll("(", "%28").replaceAll(")", "%29")}))`;
}

/** The label inside a mark: `entity` marks have a JSON list with the name, `url` marks a label. */
function labelIn(inner: string): string {
  const [kind, first = ""] = inner.split("\uE202");
  if (kind === "url") return first;
  return kind === "entity" ? textOf(listOf(parseJson(first))[1]) : "";
}
