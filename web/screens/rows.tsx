import { type ComponentProps, Fragment, type ReactNode } from "react";
import type { Loaded, LoadedPages } from "#web/data/load-state.ts";
import { List } from "./list.tsx";
import { EmptyText, ListContent, MoreButton } from "./list-content.tsx";
import styles from "./list-content.module.css";

/**
 * A list as it was read: a row for each entry, or `empty`, the button for its next page if it has pages, and `add` for
 * another entry; or what `ListContent` shows instead. When the focused row is removed, the next one gets the focus, and after
 * the last one what `after` returns.
 */
export function Rows<Entry extends { id: string }>({
  list,
  rows,
  label,
  after,
  empty,
  add,
  children,
  ...content
}: {
  list: Loaded | LoadedPages;
  rows: readonly Entry[];
  add?: ReactNode;
  children(row: Entry, index: number): ReactNode;
} & Pick<ComponentProps<typeof List>, "label" | "after"> &
  Pick<ComponentProps<typeof ListContent>, "loadingLabel" | "failedTitle" | "empty">) {
  const isEmpty = rows.length === 0;
  return (
    <ListContent {...content} list={list} isEmpty={false}>
      {isEmpty ? (
        empty !== undefined && <EmptyText lines={empty} />
      ) : (
        <List label={label} after={after}>
          {rows.map((row, index) => (
            <Fragment key={row.id}>{children(row, index)}</Fragment>
          ))}
        </List>
      )}
      {"hasMore" in list && <MoreButton list={list} />}
      {add !== undefined && <div className={isEmpty ? styles["addFirst"] : undefined}>{add}</div>}
    </ListContent>
  );
}
