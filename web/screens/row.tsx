import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import ChevronRight from "lucide-react/icons/chevron-right";
import { join } from "#web/ui/button.tsx";
import { Icon } from "#web/ui/icon.tsx";
import styles from "./screen.module.css";

/**
 * A row of a list: a name, marks beside it, facts below, and the buttons in `children`. With `link`, the words open a screen.
 * `before`: an icon or a picture. `isCode`: the name is no language, such as an address.
 */
export function Row({
  link,
  before,
  name,
  isCode = false,
  mark,
  facts,
  className,
  children,
}: {
  link?: Pick<LinkProps, "to" | "params">;
  before?: ReactNode;
  name: ReactNode;
  isCode?: boolean;
  mark?: ReactNode;
  /** Without those that are `undefined` or `false`. */
  facts?: readonly ReactNode[] | undefined;
  className?: string | undefined;
  children?: ReactNode;
}) {
  const words = (
    <>
      <bdi dir={isCode ? "ltr" : undefined} className={styles["name"]}>
        {name}
      </bdi>
      {mark}
      {facts !== undefined && <Facts facts={facts} />}
    </>
  );
  return (
    <li className={join(styles["row"], className)}>
      {before}
      {link === undefined ? (
        <span className={styles["words"]}>{words}</span>
      ) : (
        <Link {...link} className={styles["words"]}>
          {words}
        </Link>
      )}
      {children ?? (link !== undefined && <Icon of={ChevronRight} size={16} />)}
    </li>
  );
}

function Facts({ facts }: { facts: readonly ReactNode[] }) {
  const shown = facts.filter((fact) => fact !== undefined && fact !== false);
  return (
    <span className={styles["facts"]}>
      {shown.map((fact, index) => (
        <span key={index}>{fact}</span>
      ))}
    </span>
  );
}

/** A fact that is no language, such as an address or an id. */
export const asCode = (text: string) => <bdi dir="ltr">{text}</bdi>;

/** A fact that a person chose, in any language. */
export const asName = (text: string | null) => <bdi>{text}</bdi>;

/** Beside the name of a row. */
export function Mark({ tone, children }: { tone?: "danger" | undefined; children: ReactNode }) {
  return (
    <span className={styles["mark"]} data-tone={tone}>
      {children}
    </span>
  );
}

/** The buttons of a row that has several. */
export function RowButtons({ children }: { children: ReactNode }) {
  return <span className={styles["buttons"]}>{children}</span>;
}
