import { useEffect, useState, useSyncExternalStore } from "react";
import { draftOfEdit } from "#web/data/drafts/draft.ts";
import { useServices } from "#web/data/provider.tsx";

/** An unsaved edit of an artifact. */
export type ArtifactDraft = {
  text: string;
  /** The latest version when the person began. */
  base: string;
};

/** The topic of the draft. `~` has a meaning in the keys of drafts. */
const topicOf = (threadId: string, key: string) =>
  draftOfEdit(`${threadId}.${encodeURIComponent(key).replaceAll("~", "%7E")}`);

export function useHasArtifactDraft(threadId: string, key: string): boolean {
  const { edits } = useServices().drafts;
  return useSyncExternalStore(edits.subscribe, edits.get).has(topicOf(threadId, key));
}

/** What a person typed in the editor of an artifact. It stays over a reload, and other tabs follow it. */
export function useArtifactDraft(threadId: string, key: string) {
  const { drafts } = useServices();
  const topic = topicOf(threadId, key);
  const [draft, setDraft] = useState(() => parse(drafts.read(topic)));
  useEffect(() => {
    const unfollow = drafts.follow(topic, (raw) => setDraft(parse(raw)));
    return () => {
      unfollow();
      drafts.flush();
    };
  }, [drafts, topic]);
  return {
    draft,
    write(next: ArtifactDraft | undefined): void {
      setDraft(next);
      drafts.write(topic, next === undefined ? "" : JSON.stringify(next));
    },
    /** Removes it, also from other tabs that show the same. */
    saved(): void {
      drafts.sent(topic, drafts.read(topic));
      setDraft(undefined);
    },
  };
}

function parse(raw: string): ArtifactDraft | undefined {
  if (raw === "") return undefined;
  try {
    const { text, base } = JSON.parse(raw) as Partial<ArtifactDraft>;
    return typeof text === "string" && typeof base === "string" ? { text, base } : undefined;
  } catch {
    return undefined;
  }
}
