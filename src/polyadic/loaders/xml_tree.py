"""Parse the XML files within an archive."""

from typing import Any


def xml_tree(xml: bytes, recover: bool = False) -> Any:
    """Parse an XML file without expanding entities or fetching resources; return None if it is empty.

    Parameters
    ----------
    xml
        Content of the file.
    recover
        Skip errors instead of raising ``lxml.etree.XMLSyntaxError``.
    """
    from lxml import etree

    if not xml.strip():
        return None
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=recover)
    return etree.fromstring(xml, parser)
