import type { NounFacts } from "../facts/noun-facts.ts";

/** The service that searches the web for people. */
export const webSearch = {
  chapters: {
    webSearch: {
      title: "Web search",
      description:
        "The service with which assistants search the web. Without one, they cannot. A person is asked before each search, unless they allow it.",
    },
  },
  ids: {},
  limits: {
    /** How many pages one answer may read. */
    pagesPerAnswerMax: 20,
    /** How long a search service has for its answer, in milliseconds. */
    webSearchTimeoutMs: 15_000,
  },
  errors: {
    "404, other clients": {
      "web-search-not-set": {
        en: "No search service is set.",
        ar: "لم تُضبط خدمة بحث.",
      },
    },
  },
  changes: [],
  auditActions: ["web-search-changed"],
} as const satisfies NounFacts;
