import type { ReactNode } from "react";
import { useNavigate } from "@tanstack/react-router";
import PanelLeft from "lucide-react/icons/panel-left";
import SquarePen from "lucide-react/icons/square-pen";
import { ConnectionLine } from "#web/sidebar/connection-line.tsx";
import { newChatKeys, sidebarKeys } from "#web/sidebar/shortcuts.ts";
import { IconButton } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import { focusComposer } from "#web/composer/focus-composer.ts";
import { useSidebar } from "./sidebar-context.ts";
import styles from "./top-bar.module.css";

/** The bar above a screen: buttons that replace the closed sidebar, the title, and actions. */
export function TopBar({ title, children }: { title?: ReactNode; children?: ReactNode }) {
  const sidebar = useSidebar();
  const navigate = useNavigate();
  return (
    <div className={styles["bar"]}>
      {!sidebar.isOpen && (
        <>
          <IconButton
            icon={PanelLeft}
            label={t("sidebar.open")}
            keys={sidebarKeys()}
            onClick={sidebar.open}
          />
          <IconButton
            icon={SquarePen}
            label={t("sidebar.newChat")}
            keys={newChatKeys()}
            onClick={() => void navigate({ to: "/" }).then(focusComposer)}
          />
        </>
      )}
      <div className={styles["title"]}>{title}</div>
      {!sidebar.isOpen && <ConnectionLine isShort />}
      {children}
    </div>
  );
}
