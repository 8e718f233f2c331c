import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { citedUrlCharactersMax } from "../../tools/tool.ts";
import type { SearchServiceName } from "#contract/web-search/endpoints.ts";

/** A page that a search found. `text`: what the service quotes of it. `published`: as the service writes it. */
export type FoundPage = { url: string; title: string; text: string; published?: string };

type SearchRequest = { url: string; method?: "POST"; headers?: Record<string, string>; body?: Json };

/** How a search service is asked, and what it answers. */
type SearchService = {
  /** Its own address; `undefined` if an administrator enters that of their server. */
  address: string | undefined;
  request(asked: { query: string; count: number; address: string; key: string }): SearchRequest;
  read(answer: JsonObject): FoundPage[];
};

/** Each as its documentation describes it. */
export const searchServices: Record<SearchServiceName, SearchService> = {
  // https://docs.searxng.org/dev/search_api.html
  searxng: {
    address: undefined,
    request: ({ query, address }) => ({ url: withQuery(`${address}/search`, { q: query, format: "json" }) }),
    read: ({ results }) =>
      pagesIn(results, ({ url, title, content, publishedDate }) => ({
        url,
        title,
        texts: [content],
        published: publishedDate,
      })),
  },
  // https://api-dashboard.search.brave.com/app/documentation/web-search/get-started
  brave: {
    address: "https://api.search.brave.com",
    request: ({ query, count, address, key }) => ({
      url: withQuery(`${address}/res/v1/web/search`, {
        q: query,
        count: String(count),
        text_decorations: "false",
      }),
      headers: { "X-Subscription-Token": key },
    }),
    read: ({ web }) =>
      pagesIn(isJsonObject(web) ? web.results : [], (found) => ({
        url: found.url,
        title: found.title,
        texts: [found.description, ...(Array.isArray(found.extra_snippets) ? found.extra_snippets : [])],
        published: found.page_age,
      })),
  },
  // https://docs.tavily.com/documentation/api-reference/endpoint/search
  tavily: {
    address: "https://api.tavily.com",
    request: ({ query, count, address, key }) => ({
      url: `${address}/search`,
      method: "POST",
      headers: { Authorization: `Bearer ${key}` },
      body: { query, max_results: count },
    }),
    read: ({ results }) =>
      pagesIn(results, ({ url, title, content, published_date: published }) => ({
        url,
        title,
        texts: [content],
        published,
      })),
  },
  // https://docs.exa.ai/reference/search
  exa: {
    address: "https://api.exa.ai",
    request: ({ query, count, address, key }) => ({
      url: `${address}/search`,
      method: "POST",
      headers: { "x-api-key": key },
      body: { query, numResults: count, contents: { highlights: true } },
    }),
    read: ({ results }) =>
      pagesIn(results, ({ url, title, highlights, publishedDate }) => ({
        url,
        title,
        texts: Array.isArray(highlights) ? highlights : [],
        published: publishedDate,
      })),
  },
  // https://help.kagi.com/kagi/api/search.html
  kagi: {
    address: "https://kagi.com/api/v1",
    request: ({ query, count, address, key }) => ({
      url: `${address}/search`,
      method: "POST",
      headers: { Authorization: `Bearer ${key}` },
      body: { query, workflow: "search", limit: count },
    }),
    read: ({ data }) =>
      pagesIn(isJsonObject(data) ? data.search : [], ({ url, title, snippet, time }) => ({
        url,
        title,
        texts: [snippet],
        published: time,
      })),
  },
};

function withQuery(address: string, query: Record<string, string>): string {
  const url = new URL(address);
  url.search = new URLSearchParams(query).toString();
  return url.href;
}

type ReadPage = { url: unknown; title: unknown; texts: readonly unknown[]; published: unknown };

/** The results that have the address of a page. Others are left out. */
function pagesIn(results: unknown, read: (result: JsonObject) => ReadPage): FoundPage[] {
  if (!Array.isArray(results)) return [];
  return results.filter(isJsonObject).flatMap((result) => {
    const { url, title, texts, published } = read(result);
    if (
      typeof url !== "string" ||
      url.length > citedUrlCharactersMax ||
      !URL.canParse(url) ||
      !/^https?:/i.test(url)
    )
      return [];
    const text = texts.filter((each) => typeof each === "string").join("\n");
    return {
      url,
      title: typeof title === "string" ? title : "",
      text,
      ...(typeof published === "string" && { published }),
    };
  });
}
