import { useNavigate } from "@tanstack/react-router";
import { Notice } from "#web/ui/notice.tsx";
import { t } from "#web/i18n/translate.ts";
import { NoticePage } from "./page.tsx";
import { useTitle } from "./shell/title.ts";

export function NotFoundScreen() {
  useTitle(t("notFound.title"));
  const navigate = useNavigate();
  return (
    <NoticePage>
      <Notice
        level="h1"
        title={t("notFound.title")}
        text={t("notFound.text")}
        action={{ label: t("failure.newChat"), run: () => void navigate({ to: "/" }) }}
      />
    </NoticePage>
  );
}
