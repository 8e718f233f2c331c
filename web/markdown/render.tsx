import { Fragment, type ReactElement, type ReactNode, use } from "react";
import type {
  Definition,
  Image,
  ImageReference,
  Link,
  LinkReference,
  List,
  ListItem,
  RootContent,
  Table,
} from "mdast";
import { t } from "#web/i18n/translate.ts";
import { safeLink } from "./address.ts";
import { CodeBlock } from "./code/code-block.tsx";
import { Formula } from "./math/formula.tsx";
import { parseUnclosed } from "./parse.ts";
import { Picture } from "./picture.tsx";
import { SortableHead } from "./sortable-head.tsx";
import { MarkedText, SourceMark } from "./source-mark.tsx";
import { isMarkOf, mayHaveMarks, numberOfSource } from "./source-marks.ts";
import { SourceMarksContext } from "./source-marks-context.ts";
import { type Cell, TableFigure } from "./table.tsx";
import styles from "./markdown.module.css";

/** The context of the nodes of a chunk. */
export type Scope = {
  /** The text that the positions of the nodes count from. */
  source: string;
  definitions: ReadonlyMap<string, Definition>;
  /** Whether the chunk may still grow. */
  isOpen: boolean;
  /** The depth of the first heading in the text. */
  topHeading: number;
};

export function scopeOf(nodes: RootContent[], scope: Omit<Scope, "definitions">): Scope {
  const definitions = new Map<string, Definition>();
  for (const node of nodes) {
    // In CommonMark, the first definition of a name wins.
    if (node.type === "definition" && !definitions.has(node.identifier))
      definitions.set(node.identifier, node);
  }
  return { definitions, ...scope };
}

export function RenderNodes({ nodes, scope }: { nodes: readonly RootContent[]; scope: Scope }) {
  return nodes.map((node, i) => <Fragment key={i}>{render(node, scope)}</Fragment>);
}

/** The items of a list without the list element. In a tight list, paragraphs have no `<p>`. */
export function RenderItems({ list, isLoose, scope }: { list: List; isLoose: boolean; scope: Scope }) {
  return list.children.map((item, i) => <Item key={i} item={item} isLoose={isLoose} scope={scope} />);
}

function render(node: RootContent, scope: Scope): ReactNode {
  const children = () => ("children" in node ? <RenderNodes nodes={node.children} scope={scope} /> : null);
  switch (node.type) {
    case "text":
      return mayHaveMarks(node.value) ? <MarkedText text={node.value} /> : node.value;
    case "paragraph":
      return <p>{children()}</p>;
    case "heading": {
      // The top heading of every answer is one level below the title of its message.
      const level = Math.max(0, node.depth - scope.topHeading);
      const Tag = (["h3", "h4", "h5"] as const)[level] ?? "h6";
      return <Tag data-depth={node.depth}>{children()}</Tag>;
    }
    case "emphasis":
      return <em>{children()}</em>;
    case "strong":
      return <strong>{children()}</strong>;
    case "delete":
      return <del>{children()}</del>;
    case "inlineCode":
      return <code dir="ltr">{node.value}</code>;
    case "break":
      return <br />;
    case "thematicBreak":
      return <hr />;
    case "blockquote":
      return <blockquote dir="auto">{children()}</blockquote>;
    case "code":
      return <CodeBlock code={node.value} language={node.lang ?? ""} isOpen={scope.isOpen} />;
    case "inlineMath":
      return <Formula tex={node.value} isDisplay={node.isDisplay} />;
    case "math":
      return node.isOpen ? (
        <RenderNodes nodes={parseUnclosed(node.value).children} scope={{ ...scope, source: node.value }} />
      ) : (
        <Formula tex={node.value} isDisplay />
      );
    case "list":
      return <ListBlock list={node} scope={scope} />;
    case "listItem":
      return <Item item={node} isLoose={node.spread === true} scope={scope} />;
    case "table":
      return <TableBlock table={node} scope={scope} />;
    case "tableRow":
    case "tableCell":
      return children();
    case "link":
    case "linkReference":
      return <Anchor node={node} scope={scope} />;
    case "image":
    case "imageReference":
      return <Figure node={node} scope={scope} />;
    case "footnoteReference":
      return <sup className={styles["footnoteMark"]}>{node.label ?? node.identifier}</sup>;
    case "footnoteDefinition":
      return (
        <div role="note" className={styles["footnote"]}>
          <sup className={styles["footnoteMark"]}>{node.label ?? node.identifier}</sup>
          <div>{children()}</div>
        </div>
      );
    case "html":
      return <RawHtml text={node.value} />;
    case "definition":
    case "yaml":
      return null;
    default:
      // The parser creates no other kinds.
      return null;
  }
}

function ListBlock({ list, scope }: { list: List; scope: Scope }) {
  const isLoose = list.spread === true || list.children.some((item) => item.spread === true);
  const items = <RenderItems list={list} isLoose={isLoose} scope={scope} />;
  if (list.ordered !== true)
    return (
      <ul dir="auto" data-loose={isLoose || undefined}>
        {items}
      </ul>
    );
  return (
    <ol
      dir="auto"
      {...(list.start === 1 ? {} : { start: list.start ?? 1 })}
      data-loose={isLoose || undefined}
    >
      {items}
    </ol>
  );
}

function Item({ item, isLoose, scope }: { item: ListItem; isLoose: boolean; scope: Scope }) {
  const isTask = typeof item.checked === "boolean";
  // In a tight list too, or the paragraphs of an item would run together.
  const hasParagraphs = isLoose || item.spread === true;
  const isText = !hasParagraphs && item.children.every(({ type }) => type === "paragraph");
  return (
    <li data-task={isTask || undefined} data-text={(scope.isOpen && isText) || undefined}>
      {isTask && (
        <input
          type="checkbox"
          checked={item.checked === true}
          disabled
          aria-label={t(item.checked === true ? "task.done" : "task.open")}
        />
      )}
      {item.children.map((child, i) => (
        <Fragment key={i}>
          {child.type === "paragraph" && !hasParagraphs ? (
            <RenderNodes nodes={child.children} scope={scope} />
          ) : (
            render(child, scope)
          )}
        </Fragment>
      ))}
    </li>
  );
}

function TableBlock({ table, scope }: { table: Table; scope: Scope }) {
  return (
    <TableFigure
      head={<RenderTableHead table={table} scope={scope} />}
      rows={<RenderRows table={table} scope={scope} />}
      allRows={scope.isOpen ? undefined : () => renderRows(table, scope)}
      cells={() => cellsOf(table, scope)}
    />
  );
}

export function RenderTableHead({ table: { children, align }, scope }: { table: Table; scope: Scope }) {
  return (
    <tr>
      {children[0]?.children.map((cell, i) => (
        <SortableHead key={i} column={i} name={textOf(cell)} align={align?.[i]}>
          <RenderNodes nodes={cell.children} scope={scope} />
        </SortableHead>
      ))}
    </tr>
  );
}

/** Characters. A shorter cell stays on one line. */
const shortMax = 24;

/** The rows below the header. */
export function RenderRows({ table, scope }: { table: Table; scope: Scope }) {
  return renderRows(table, scope);
}

/** The rows below the header, one by one. */
export function renderRows({ children, align }: Table, scope: Scope): ReactElement[] {
  return children.slice(1).map((row, r) => (
    <tr key={r}>
      {row.children.map((cell, i) => (
        <td key={i} data-align={align?.[i]} data-short={textOf(cell).length <= shortMax || undefined}>
          <RenderNodes nodes={cell.children} scope={scope} />
        </td>
      ))}
    </tr>
  ));
}

/** All cells, with the header first. */
export function cellsOf({ children, align }: Table, { source }: Scope): Cell[][] {
  return children.map((row) =>
    row.children.map((cell, i) => ({
      text: textOf(cell),
      markdown: source.slice(
        cell.children[0]?.position?.start.offset ?? 0,
        cell.children.at(-1)?.position?.end.offset ?? 0,
      ),
      align: align?.[i],
    })),
  );
}

/** The text of a node without marks, as it is copied. */
function textOf(node: RootContent): string {
  if (node.type === "break") return "\n";
  if (node.type === "html") return isLineBreak(node.value) ? "\n" : node.value;
  if ("children" in node) return node.children.map(textOf).join("");
  if ("value" in node) return node.value;
  return "alt" in node ? (node.alt ?? "") : "";
}

function Anchor({ node, scope }: { node: Link | LinkReference; scope: Scope }) {
  const target = node.type === "link" ? node : scope.definitions.get(node.identifier);
  const content = <RenderNodes nodes={node.children} scope={scope} />;
  const marks = use(SourceMarksContext);
  const number = marks && target && numberOfSource(marks.sources, target.url);
  // Any other text, such as a year, and a picture are content.
  if (number !== undefined && node.children.every(isText) && isMarkOf(number, textOf(node)))
    return <SourceMark number={number} />;
  const href = target === undefined ? undefined : safeLink(target.url);
  if (href === undefined) return content;
  return (
    <>
      <a href={href} target="_blank" rel="noopener noreferrer" title={target?.title ?? undefined}>
        {/* A link has no buttons in it. */}
        <SourceMarksContext value={undefined}>{content}</SourceMarksContext>
      </a>
      {number !== undefined && <SourceMark number={number} />}
    </>
  );
}

function isText({ type }: RootContent): boolean {
  return type === "text";
}

function Figure({ node, scope }: { node: Image | ImageReference; scope: Scope }) {
  const target = node.type === "image" ? node : scope.definitions.get(node.identifier);
  if (target === undefined) return node.alt ?? null;
  return <Picture address={target.url} alt={node.alt ?? ""} />;
}

/** Raw HTML is shown as text, except `<br>`, which models write into table cells. */
function RawHtml({ text }: { text: string }) {
  return isLineBreak(text) ? <br /> : <span className={styles["raw"]}>{text}</span>;
}

function isLineBreak(html: string): boolean {
  return /^<br\s*\/?>$/i.test(html.trim());
}
