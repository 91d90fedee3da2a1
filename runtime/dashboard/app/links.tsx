import { Anchor, type AnchorProps, Button, type ButtonProps, Menu, type MenuItemProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentPropsWithRef } from "react";

type LinkProps<Own> = Own & Omit<ComponentPropsWithRef<"a">, keyof Own>;

/** Components of Mantine as links to pages of the interface. */
export const AnchorLink = createLink((props: LinkProps<AnchorProps>) => <Anchor {...props} />);
export const ButtonLink = createLink((props: LinkProps<ButtonProps>) => <Button component="a" {...props} />);
export const MenuItemLink = createLink((props: LinkProps<MenuItemProps>) => (
  <Menu.Item component="a" {...props} />
));
