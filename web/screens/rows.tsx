import { type ComponentProps, Fragment, type ReactNode } from "react";
import type { Loaded, LoadedPages } from "#web/data/load-state.ts";
import { List } from "./list.tsx";
import { ListContent, MoreButton } from "./list-content.tsx";

/**
 * A list as it was read: a row for each entry, and the button for its next page if it has pages; or what `ListContent`
 * shows instead. When the focused row is removed, the next one gets the focus.
 */
export function Rows<Row extends { id: string }>({
  list,
  rows,
  children,
  ...content
}: {
  list: Loaded | LoadedPages;
  rows: readonly Row[];
  children(row: Row): ReactNode;
} & Omit<ComponentProps<typeof ListContent>, "list" | "isEmpty" | "children">) {
  return (
    <ListContent {...content} list={list} isEmpty={rows.length === 0}>
      <List>
        {rows.map((row) => (
          <Fragment key={row.id}>{children(row)}</Fragment>
        ))}
      </List>
      {"hasMore" in list && <MoreButton list={list} />}
    </ListContent>
  );
}
