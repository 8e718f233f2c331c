import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { join } from "#web/ui/button.tsx";
import { MenuButton } from "#web/ui/menu/menu.tsx";
import type { MenuItem } from "#web/ui/menu/menu-item.ts";
import { t } from "#web/i18n/translate.ts";
import styles from "./menu-row.module.css";

/**
 * A row of the assistants, prompts and model providers: a name, marks beside it, a line about it, and a menu. With `link`, it
 * opens a screen. `before`: a picture.
 */
export function MenuRow({
  link,
  before,
  name,
  marks,
  about,
  isFailing = false,
  menu,
}: {
  link?: Pick<LinkProps, "to" | "params" | "search">;
  before?: ReactNode;
  name: string;
  /** Without those that are `false`. */
  marks: readonly (string | false)[];
  about: ReactNode;
  /** Whether `about` says what is wrong. */
  isFailing?: boolean;
  menu?: { label: string; items(): MenuItem[] };
}) {
  const inside = (
    <>
      {before}
      <span className={styles["words"]}>
        <bdi className={styles["name"]}>{name}</bdi>
        {marks.map(
          (mark) =>
            mark !== false && (
              <bdi key={mark} className="text-1 ink-faint">
                {mark}
              </bdi>
            ),
        )}
        {about !== "" && (
          <span
            className={join(styles["about"], !isFailing && "one-line")}
            data-failing={isFailing || undefined}
          >
            {about}
          </span>
        )}
      </span>
    </>
  );
  return (
    <li className={styles["row"]}>
      {link === undefined ? (
        <div className={styles["inside"]}>{inside}</div>
      ) : (
        <Link {...link} className={styles["inside"]}>
          {inside}
        </Link>
      )}
      {menu !== undefined && <MenuButton {...menu} tip={t("message.actions")} />}
    </li>
  );
}
