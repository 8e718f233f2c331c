import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Artifact } from "#contract/artifacts/artifacts.ts";
import { draftsInThread } from "#web/data/drafts/draft.ts";
import { useServices } from "#web/data/provider.tsx";

/** An unsaved edit of an artifact. */
export type ArtifactDraft = {
  text: string;
  /** The latest version when the person began. */
  base: string;
  /** The text of the last save request. If its response is lost, that version must not count as somebody else's. */
  sent?: string | undefined;
};

/** The topic of the draft. `~` has a meaning in the keys of drafts. */
const topicOf = (threadId: string, key: string) =>
  draftsInThread(threadId) + encodeURIComponent(key).replaceAll("~", "%7E");

type Keys = Pick<Artifact, "key" | "formerKeys">;

export function useHasArtifactDraft(threadId: string, { key, formerKeys }: Keys): boolean {
  const { edits } = useServices().drafts;
  const topics = useSyncExternalStore(edits.subscribe, edits.get);
  return [key, ...formerKeys].some((each) => topics.has(topicOf(threadId, each)));
}

/**
 * What a person typed in the editor of an artifact. It stays over a reload, and other tabs follow it. When the artifact gets
 * another key, because another title was saved, the draft follows.
 */
export function useArtifactDraft(threadId: string, { key, formerKeys }: Keys) {
  const { drafts } = useServices();
  const topic = topicOf(threadId, key);
  const former = formerKeys.join("\n");
  const [draft, setDraft] = useState(() => parse(drafts.read(topic)));
  /** For a save that began before the key changed. */
  const latestTopic = useRef(topic);
  useEffect(() => {
    for (const other of former === "" ? [] : former.split("\n")) {
      const formerTopic = topicOf(threadId, other);
      const raw = drafts.read(formerTopic);
      if (raw === "" || drafts.read(topic) !== "") continue;
      drafts.write(topic, raw);
      drafts.sent(formerTopic, raw);
    }
    latestTopic.current = topic;
    setDraft(parse(drafts.read(topic)));
    const unfollow = drafts.follow(topic, (raw) => setDraft(parse(raw)));
    return () => {
      unfollow();
      drafts.flush();
    };
  }, [drafts, threadId, topic, former]);
  return {
    draft,
    /** The draft as it is now, also before it is rendered. */
    read: () => parse(drafts.read(latestTopic.current)),
    write(next: ArtifactDraft | undefined): void {
      setDraft(next);
      drafts.write(topic, next === undefined ? "" : JSON.stringify(next));
    },
    /**
     * `text` is stored: removes the draft, also from other tabs that show the same. Returns whether it did: what was
     * typed since then stays.
     */
    saved(text: string): boolean {
      const raw = drafts.read(latestTopic.current);
      if (raw !== "" && parse(raw)?.text !== text) return false;
      drafts.sent(latestTopic.current, raw);
      setDraft(undefined);
      return true;
    },
  };
}

function parse(raw: string): ArtifactDraft | undefined {
  if (raw === "") return undefined;
  try {
    const { text, base, sent } = JSON.parse(raw) as Partial<ArtifactDraft>;
    return typeof text === "string" && typeof base === "string" ? { text, base, sent } : undefined;
  } catch {
    return undefined;
  }
}
