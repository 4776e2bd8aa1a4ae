"""1Password's client of Connect, with the fields of the item `My "Item"` of the vault "Team"."""
from onepasswordconnectsdk.client import Client as Connect
from onepasswordconnectsdk.errors import FailedToRetrieveItemException, FailedToRetrieveVaultException
from onepasswordconnectsdk.models import Field

TITLE = 'My \\"Item\\"'


def is_raised(call):
    try:
        call()
    except (FailedToRetrieveItemException, FailedToRetrieveVaultException):
        return True
    return False


class Client:
    shows_values = True

    def __init__(self, address, token="good"):
        self.address = address
        self.connect = Connect(address, token)

    def item(self):
        return self.connect.get_item(TITLE, "Team")

    def fields(self, item):
        # Some fields are the item's own, and some have no label. The model refuses purposes that it does not know.
        return [field for field in item.fields if not field.purpose and field.label]

    def list(self):
        return {field.label: field.value for field in self.fields(self.item())}

    def read(self, name):
        return self.list()[name]

    def change(self, change):
        item = self.item()
        change(item)
        version = item.version
        assert self.connect.update_item(item.id, item.vault.id, item).version == version + 1

    def set(self, name, value, exists):
        def change(item):
            if exists:
                next(field for field in self.fields(item) if field.label == name).value = value
            else:
                item.fields = [*item.fields, Field(label=name, value=value, type="CONCEALED")]

        self.change(change)

    def remove(self, name):
        def change(item):
            item.fields = [field for field in item.fields if field.purpose or field.label != name]

        self.change(change)

    def fails(self):
        own = {field.label: field.purpose for field in self.item().fields if field.purpose}
        yield "the item's own fields", own == {"username": "USERNAME", "password": "PASSWORD", "notesPlain": "NOTES"}
        yield "a wrong token", is_raised(Client(self.address, token="bad").item)
        yield "an unknown item", is_raised(lambda: self.connect.get_item("Other", "Team"))
        yield "two vaults of one name", is_raised(lambda: self.connect.get_vault_by_title("Twice"))
        yield "an unknown item's ID", is_raised(lambda: self.connect.get_item_by_id("j" * 26, self.item().vault.id))
