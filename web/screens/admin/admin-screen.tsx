import { useParams } from "@tanstack/react-router";
import { useCan } from "#web/data/session/session.ts";
import { Notice } from "#web/ui/notice.tsx";
import { t } from "#web/i18n/translate.ts";
import { NotFoundScreen } from "../not-found-screen.tsx";
import { NoticePage } from "../page.tsx";
import { PagesIndex, PagesScreen, type PagesScreenProps } from "../pages-screen.tsx";
import { OpenToGuestsLink } from "./people/open-to-guests.tsx";
import { adminPages, findAdminPage } from "./admin-pages.ts";

/** The frame of all pages of the administration. */
export function AdminScreen() {
  const isAllowed = useCan("people.manage");
  if (isAllowed === false)
    return (
      <NoticePage>
        <Notice level="h1" title={t("admin.notYours")} text={t("admin.notYoursText")} />
      </NoticePage>
    );
  return <PagesScreen {...administration()} note={isAllowed === true && <OpenToGuestsLink />} />;
}

/** `/admin`. */
export function AdminIndex() {
  return <PagesIndex {...administration()} />;
}

/** `/admin/:page`. */
export function AdminPageScreen() {
  const { page = "" } = useParams({ strict: false });
  const isAllowed = useCan("people.manage");
  const Screen = findAdminPage(page)?.screen;
  if (Screen === undefined) return <NotFoundScreen />;
  return isAllowed === true ? <Screen key={page} /> : null;
}

function administration(): PagesScreenProps {
  return { root: "/admin", title: t("admin.title"), listLabel: t("admin.pages"), pages: adminPages };
}
