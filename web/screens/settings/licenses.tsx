import { useState } from "react";
import { noticesUrl, useThirdPartyNotices } from "#web/data/third-party-notices.ts";
import { t } from "#web/i18n/translate.ts";
import { ListContent } from "../list-content.tsx";
import screenStyles from "../screen.module.css";
import styles from "./licenses.module.css";

/** The software of others that Parlance contains, which is read when the person opens it. */
export function Licenses() {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="above-3" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t("licenses.title")}</summary>
      {isOpen && <Notices />}
    </details>
  );
}

function Notices() {
  const notices = useThirdPartyNotices();
  return (
    <>
      <p className={screenStyles["about"]}>
        {t("licenses.about")} <a href={noticesUrl}>{t("licenses.file")}</a>
      </p>
      <ListContent
        list={notices}
        isEmpty={false}
        loadingLabel={t("licenses.loading")}
        failedTitle={t("licenses.failed")}
      >
        <pre className={styles["text"]} dir="ltr" lang="en">
          {notices.text}
        </pre>
      </ListContent>
    </>
  );
}
