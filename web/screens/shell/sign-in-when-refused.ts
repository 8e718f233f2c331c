import { useEffect } from "react";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useSession } from "#web/data/session/session.ts";

/** The screens that people need before they are signed in. */
const openPaths = new Set(["/sign-in", "/sign-up", "/invite", "/reset", "/owner"]);

/**
 * Shows the sign-in when the session of an account has ended, or when there are no guests, and how to set up a second
 * factor when the owner requires one.
 */
export function useSignInWhenRefused(): void {
  const { me, error } = useSession();
  const navigate = useNavigate();
  const location = useRouterState({ select: (state) => state.location });
  const isRefused = error?.code === "signed-out" || error?.code === "anonymous-off";
  const isOpen = openPaths.has(/^\/[^/]*/.exec(location.pathname)![0]);
  const needsSecondFactor = me?.needs_second_factor === true;
  useEffect(() => {
    if (needsSecondFactor && !isOpen && location.pathname !== "/second-factor")
      void navigate({ to: "/second-factor", replace: true });
  }, [needsSecondFactor, isOpen, location.pathname, navigate]);
  useEffect(() => {
    if (!isRefused || isOpen) return;
    const to = location.href === "/" ? {} : { to: location.href };
    void navigate({ to: "/sign-in", search: to, replace: true });
  }, [isRefused, isOpen, location.href, navigate]);
}
