import { networkError } from "#web/data/call-error.ts";

/** A tab that can be asked who this browser is. */
export type Asked = {
  ask: (request: number, refused: boolean) => void;
  /** It did not answer. */
  sleeps: () => void;
};

/**
 * Gets the headers of the line from the tabs, for a worker can neither read what they keep nor open their session.
 * Asks one at a time, because two that renew at once could become two visitors; one that sleeps is passed over.
 */
export type HeadersDesk = {
  /** Throws a network failure where no tab could say. */
  want: (tabs: Asked[], refused: boolean) => Promise<Record<string, string>>;
  answer: (request: number, headers: Record<string, string> | null) => void;
};

/** 5 s: a session is opened in one request, and a tab in the background may be asleep. */
const patienceMs = 5_000;

export function createHeadersDesk(): HeadersDesk {
  let last = 0;
  const open = new Map<number, (headers: Record<string, string> | null) => void>();

  async function askOne(tab: Asked, refused: boolean): Promise<Record<string, string> | null> {
    const request = ++last;
    try {
      return await new Promise((resolve) => {
        const timer = setTimeout(() => {
          tab.sleeps();
          resolve(null);
        }, patienceMs);
        open.set(request, (headers) => {
          clearTimeout(timer);
          resolve(headers);
        });
        tab.ask(request, refused);
      });
    } finally {
      open.delete(request);
    }
  }

  return {
    async want(tabs, refused) {
      for (const tab of tabs) {
        const headers = await askOne(tab, refused);
        if (headers !== null) return headers;
      }
      throw networkError("no tab could open the session");
    },
    answer: (request, headers) => open.get(request)?.(headers),
  };
}
