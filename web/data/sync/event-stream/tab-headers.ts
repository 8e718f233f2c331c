import { networkError } from "#web/data/call-error.ts";

/** A tab that can supply the stream's auth headers. */
export type HeaderSource = {
  request: (requestId: number, refused: boolean) => void;
  /** The tab did not respond in time. */
  timedOut: () => void;
};

/**
 * Requests the stream's auth headers from the tabs: a worker can neither read the stored credentials nor open a session.
 * Requests from one tab at a time, because two tabs that renew at once could create two visitors. A tab that does not
 * respond is skipped.
 */
export type HeaderRequests = {
  /** Throws a network failure if no tab has headers. */
  get: (tabs: HeaderSource[], refused: boolean) => Promise<Record<string, string>>;
  receive: (requestId: number, headers: Record<string, string> | null) => void;
};

/** 5 s: opening a session takes one request, and a background tab may be suspended. */
const timeoutMs = 5_000;

export function createHeaderRequests(): HeaderRequests {
  let lastId = 0;
  const pending = new Map<number, (headers: Record<string, string> | null) => void>();

  async function requestFrom(tab: HeaderSource, refused: boolean): Promise<Record<string, string> | null> {
    const requestId = ++lastId;
    try {
      return await new Promise((resolve) => {
        const timer = setTimeout(() => {
          tab.timedOut();
          resolve(null);
        }, timeoutMs);
        pending.set(requestId, (headers) => {
          clearTimeout(timer);
          resolve(headers);
        });
        tab.request(requestId, refused);
      });
    } finally {
      pending.delete(requestId);
    }
  }

  return {
    async get(tabs, refused) {
      for (const tab of tabs) {
        const headers = await requestFrom(tab, refused);
        if (headers !== null) return headers;
      }
      throw networkError("No tab could open the session.");
    },
    receive: (requestId, headers) => pending.get(requestId)?.(headers),
  };
}
