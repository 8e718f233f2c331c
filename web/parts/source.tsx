import { use } from "react";
import { Link } from "@tanstack/react-router";
import { hostOf, safeLink } from "#web/markdown/address.ts";
import { SourceMarksContext } from "#web/markdown/source-marks-context.ts";
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
  const marks = use(SourceMarksContext);
  const content = (
    <>
      <span className={styles["number"]}>{number}</span>
      <span dir="auto" className="one-line">
        {nameOfSource(source)}
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
  if (href === undefined && marks !== undefined)
    return (
      <button type="button" className={styles["chip"]} onClick={() => marks.open(number)}>
        {content}
      </button>
    );
  if (href === undefined) return <span className={styles["chip"]}>{content}</span>;
  return (
    <a
      className={styles["chip"]}
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      data-tip={hostOf(href)}
      onClick={(event) => {
        // With one of these keys, the browser opens the page itself.
        if (marks === undefined || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        marks.open(number);
      }}
    >
      {content}
    </a>
  );
}

/** What a link into the app opens. */
export function tipOf({ messageId, fileId }: ThreadLink) {
  if (fileId !== undefined) return "sources.openFile";
  return messageId === undefined ? "sources.openThread" : "sources.openMessage";
}

/** The title of a source, or what else names it. */
export function nameOfSource(source: PartOf<"source">): string {
  if (source.title !== undefined) return source.title;
  if (source.sourceType === "url" && parseThreadLink(source.url) !== undefined) return t("thread.untitled");
  return source.sourceType === "url" ? hostOf(source.url) : source.id;
}
