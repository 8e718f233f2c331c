import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import ChevronRight from "lucide-react/icons/chevron-right";
import { Icon } from "#web/ui/icon.tsx";
import styles from "./screen.module.css";

/** A row of a list that opens a screen. `mark`: beside the name, and the facts in `children` below it. */
export function LinkRow({
  link,
  name,
  mark,
  children,
}: {
  link: Pick<LinkProps, "to" | "params">;
  name: string;
  mark?: ReactNode;
  children: ReactNode;
}) {
  return (
    <li className={styles["row"]}>
      <Link {...link} className={styles["words"]}>
        <bdi className={styles["name"]}>{name}</bdi>
        {mark}
        <span className={styles["facts"]}>{children}</span>
      </Link>
      <Icon of={ChevronRight} size={16} />
    </li>
  );
}
