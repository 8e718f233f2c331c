import { Link } from "@tanstack/react-router";
import { hostOf, safeLink } from "#web/markdown/address.ts";
import { threadLinkSearch, parseThreadLink, type ThreadLink } from "#contract/thread-links.ts";
import type { PartOf } from "#contract/parts/kinds.ts";
import { t } from "#web/i18n/translate.ts";
import type { PartProps } from "./part-view.ts";
import styles from "./parts.module.css";

/** Shows nothing: `Sources` lists all sources below the answer. */
export function SourceView(_: PartProps<"source">) {
  return null;
}

/** The sources of an answer, numbered in the order in which they arrived. */
export function Sources({ sources }: { sources: readonly PartOf<"source">[] }) {
  if (sources.length === 0) return null;
  return (
    <ol aria-label={t("sources.label")} className={styles["sources"]}>
      {sources.map((source, i) => (
        <li key={`${source.id} ${i}`}>
          <Chip source={source} number={i + 1} />
        </li>
      ))}
    </ol>
  );
}

function Chip({ source, number }: { source: PartOf<"source">; number: number }) {
  const place = source.sourceType === "url" ? parseThreadLink(source.url) : undefined;
  const href = source.sourceType === "url" ? safeLink(source.url) : undefined;
  const name = labelOf(source, place);
  const content = (
    <>
      <span className={styles["number"]}>{number}</span>
      <span dir="auto" className={styles["sourceName"]}>
        {name}
      </span>
    </>
  );
  if (place !== undefined)
    return (
      <Link
        className={styles["chip"]}
        to="/t/$threadId"
        params={{ threadId: place.threadId }}
        search={threadLinkSearch(place)}
        data-tip={t(tipOf(place))}
      >
        {content}
      </Link>
    );
  if (href === undefined) return <span className={styles["chip"]}>{content}</span>;
  return (
    <a
      className={styles["chip"]}
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      data-tip={hostOf(href)}
    >
      {content}
    </a>
  );
}

function tipOf({ messageId, fileId }: ThreadLink) {
  if (fileId !== undefined) return "sources.openFile";
  return messageId === undefined ? "sources.openThread" : "sources.openMessage";
}

function labelOf(source: PartOf<"source">, place: ThreadLink | undefined): string {
  if (source.title !== undefined) return source.title;
  if (place !== undefined) return t("thread.untitled");
  return source.sourceType === "url" ? hostOf(source.url) : source.id;
}
