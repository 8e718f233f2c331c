import type { ReactNode } from "react";
import type { Loaded, LoadedPages } from "#web/data/load-state.ts";
import { Button } from "#web/ui/button.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { Skeleton, SkeletonLine } from "#web/ui/skeleton.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./list-content.module.css";

/**
 * The rows of a list in `children`, or a placeholder while it loads, why it did not load, or `empty`: a line, and a hint
 * below it.
 */
export function ListContent({
  list,
  isEmpty,
  loadingLabel,
  failedTitle,
  empty,
  children,
}: {
  list: Loaded;
  isEmpty: boolean;
  loadingLabel: string;
  failedTitle: string;
  empty?: readonly (string | undefined)[];
  children: ReactNode;
}) {
  if (list.state === "loading") return <LoadingRows label={loadingLabel} />;
  if (list.state === "failed")
    return (
      <div className={styles["failed"]}>
        <Notice
          tone="danger"
          title={failedTitle}
          text={list.failure?.message}
          action={{ label: t("action.retry"), run: list.retry }}
        />
      </div>
    );
  return isEmpty && empty !== undefined ? <EmptyText lines={empty} /> : children;
}

/** A placeholder for a list that is loading. */
export function LoadingRows({ label }: { label: string }) {
  return (
    <Skeleton label={label}>
      <div className={styles["skeleton"]}>
        {[62, 80, 54, 71].map((width) => (
          <SkeletonLine key={width} width={width} />
        ))}
      </div>
    </Skeleton>
  );
}

export function EmptyText({ lines }: { lines: readonly (string | undefined)[] }) {
  return (
    <div className={styles["empty"]}>
      {lines.map((line) => line !== undefined && <p key={line}>{line}</p>)}
    </div>
  );
}

/** The button that loads the next page of a list, if there is one. */
export function MoreButton({ list }: { list: Omit<LoadedPages, keyof Loaded> }) {
  if (!list.hasMore) return null;
  return (
    <Button disabled={list.isLoadingMore} onClick={list.loadMore}>
      {t(list.isLoadingMore ? "sidebar.loadingMore" : "archive.more")}
    </Button>
  );
}
